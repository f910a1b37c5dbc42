"""Native call markup of every model family, leaked into a reply's text."""
