"""The doors: the command line and, later, the local web page. Same verbs as the library."""
