"""What a variant is made of: the switches of ordering and selectivity, and the presets that set them."""
