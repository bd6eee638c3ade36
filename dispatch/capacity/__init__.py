"""Time of engineers against what is booked, half day by half day for the coming weeks."""
