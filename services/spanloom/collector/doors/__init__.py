"""Every way in: each door decodes what its senders send and answers in their form."""
