"""Does an engine keep to its protocol? One rule a test, a finding a rule."""
