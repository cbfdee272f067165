"""Texts in wrappings of their own: mails, tickets, office documents, marks of terminals, made plain lines."""
