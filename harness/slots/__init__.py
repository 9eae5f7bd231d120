"""Where games are played on this machine: a process a slot, and the messages it sends."""
