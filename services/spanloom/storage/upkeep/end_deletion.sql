ALTER TABLE deleted_traces DELETE WHERE DeletionId = {id:String}
