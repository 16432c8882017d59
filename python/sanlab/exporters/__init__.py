"""A scenario as other tools and people read it: cables, zoning commands, fio jobs, a drawing."""
