"""What a run means: findings with their evidence, figures, one page for people."""
