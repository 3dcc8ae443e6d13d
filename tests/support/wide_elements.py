"""What of a page is wider than its window."""

WIDE = """() => [document.documentElement, ...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && !one.closest("thead, option, .sr"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth
    || one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
  .map((one) => `${one.outerHTML.slice(0, 120)} ${one.scrollWidth} of ${one.clientWidth}`)"""
"""What is wider than the window, or has to be scrolled sideways."""
