"""Small pictures of motions as SVG text, for pages that need no other program to be shown."""
