"""The sandbox seller: plays the network operator for a partner's system, over mutual TLS, from the documents alone."""
