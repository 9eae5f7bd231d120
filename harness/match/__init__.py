"""A match in one line: requests in three dialects, the experiment they mean, the lines that other tools parse."""
