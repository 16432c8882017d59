"""The server of the page: an HTTP interface to scenarios, jobs and results of one folder.

It computes nothing: each route calls the functions that the command line calls.
"""
