"""How people sign in: password, second factor, one-time links, the company's provider; and where they are signed in."""
