"""The live stream of the boards: a process of its own that tells every open board what has changed."""
