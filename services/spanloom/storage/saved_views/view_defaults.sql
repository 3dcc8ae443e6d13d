-- The default view of each page of a project; an empty id for none.
SELECT Page, ViewId
FROM view_defaults FINAL
WHERE Project = {project:String}
