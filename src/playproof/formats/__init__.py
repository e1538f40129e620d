"""Records and pictures: notations to read and write, SVG and terminal drawings of a View."""
