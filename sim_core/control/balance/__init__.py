"""Balance methods: what each asks of the tracker so that the body stays up."""
