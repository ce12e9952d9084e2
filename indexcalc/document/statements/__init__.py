"""A document as it is written: its relations as syntax trees, and how its names and letters are used."""
