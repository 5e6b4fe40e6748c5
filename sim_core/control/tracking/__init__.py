"""The tracking controller: a short-horizon QP over the engine's own dynamics (da Silva et al. 2008)."""
