"""Costs of model calls: list prices with their validity dates, applied to the tokens of a call.

``PriceBook.price`` returns the price that was valid when a call began, ``cost_of`` the cost of its
tokens at that price. An unknown cost is ``None``, never 0.
"""
