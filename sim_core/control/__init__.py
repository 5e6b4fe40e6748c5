"""Controllers: the tracking QP, the balance methods beside it, and reactions to hits."""
