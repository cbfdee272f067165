"""Notes on a case: their text, their authors, whom they mention."""
