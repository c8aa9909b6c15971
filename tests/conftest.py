"""Puts this folder on the import path, for factories that several test areas share."""
