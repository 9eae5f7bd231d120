"""Where games are played on this machine: a process for each slot, and the messages it sends."""
