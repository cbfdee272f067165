"""One rule per file (a close family may share one); importing the package registers them all."""
