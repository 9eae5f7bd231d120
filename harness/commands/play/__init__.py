"""Commands that play games or search positions."""
