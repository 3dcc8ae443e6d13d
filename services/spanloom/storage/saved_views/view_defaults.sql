-- The default view of each page of a project; the id is empty if the page has none.
SELECT Page, ViewId
FROM view_defaults FINAL
WHERE Project = {project:String}
