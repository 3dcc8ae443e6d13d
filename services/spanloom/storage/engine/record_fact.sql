INSERT INTO store_facts (Name, Value)
SELECT {fact:String}, {value:String}
