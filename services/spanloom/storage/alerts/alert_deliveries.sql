-- The deliveries of some events of an alert, each in its latest state.
SELECT {columns}
FROM alert_deliveries FINAL
WHERE Project = {project:String} AND Alert = {of_name:String} AND Id IN JSONExtract({ids:String}, 'Array(String)')
ORDER BY Id, Number, Channel
