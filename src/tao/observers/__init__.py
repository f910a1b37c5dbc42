"""Who is told: parts that only look."""
