"""Finds elements of a page that are wider than their window."""

WIDE = """() => [document.documentElement, ...document.querySelectorAll("main *")]
  .filter((one) => one.checkVisibility() && !one.closest("thead, option, .sr"))
  .filter((one) => one.getBoundingClientRect().right > innerWidth
    || one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible")
  .map((one) => `${one.outerHTML.slice(0, 120)} ${one.scrollWidth} of ${one.clientWidth}`)"""
"""Elements that are wider than the window, or have to be scrolled sideways."""
