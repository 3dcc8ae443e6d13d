SELECT Value FROM store_facts FINAL WHERE Name = 'id'
