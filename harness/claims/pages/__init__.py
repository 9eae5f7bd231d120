"""The pages made of the register: docs/findings, and README's first screen."""
