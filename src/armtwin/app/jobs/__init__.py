"""Long work in separate processes.

Modules:
    job_service: uploads and jobs of a session.
    job_parameters: parameters of each kind of job.
    job_options: options objects of the library as JSON.
    job: one job and its process.
    queue: runs two jobs at a time.
    process: main function of a job's process.
    outcome: result of a job as plain data.
    uploads: files that clients send.

Packages:
    work: one module a kind of job.
"""
