"""Tables, the roles of their columns, and public knowledge about them."""
