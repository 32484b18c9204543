"""Closed mechanisms: what loops and constraints ask, how they are closed, and what moves and drives them."""
