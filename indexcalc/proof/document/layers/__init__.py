"""Letters above or below a name that number layers, steps, heads or samples: told apart, and put where they belong."""
