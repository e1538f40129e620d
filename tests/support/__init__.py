"""What tests share, in folders that mirror those of the tests."""
