"""What makes a variant: the switches of ordering and selectivity, and the presets that set them."""
