"""Acts as the other side of the contract against any implementation, and says case by case what it found."""
