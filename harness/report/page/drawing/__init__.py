"""Pictures as SVG: what is drawn, where names find room, and the elements themselves."""
