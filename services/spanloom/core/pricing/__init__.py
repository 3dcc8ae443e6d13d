"""What model calls cost: list prices with the days from which they hold, and the tokens of a call.

``PriceBook.price`` gives the price that held when a call began, ``cost_of`` what its tokens cost by
it. What nothing is known of costs ``None``, never 0.
"""
