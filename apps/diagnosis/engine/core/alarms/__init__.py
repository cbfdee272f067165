"""What logs and listings themselves call wrong, when it was over, and what follows from it."""
