"""One module a paper: its claims, run again, with the paper's figures beside ours."""
