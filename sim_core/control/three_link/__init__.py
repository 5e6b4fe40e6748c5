"""Balance on a body of three links (da Silva, Abe, Popovic 2008, stylized locomotion)."""
