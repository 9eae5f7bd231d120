"""A match in one line: requests in three dialects, the experiment that they mean, and output that other tools parse."""
