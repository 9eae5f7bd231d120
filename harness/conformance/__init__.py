"""Whether an engine keeps to its protocol: a test and a finding for each rule."""
