"""Many runs from one scenario: points, workers, one data set, statistics and plots."""
