"""Use models over HTTP: server arguments, request fields, parallel requests, and costs."""
