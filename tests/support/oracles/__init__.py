"""The rules of the games a second time, over plain arrays, to check the word functions with."""
