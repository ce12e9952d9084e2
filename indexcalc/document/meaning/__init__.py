"""What a formula means: typed index expressions, the sizes of their slots, and the symbols of a document."""
