# syntax=docker/dockerfile:1
# One image, four roles: web (the default), worker, beat and the one-shot migration; docker-compose.yml names them.
FROM python:3.11-slim-bookworm AS build
WORKDIR /app
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements.txt ./
RUN /opt/venv/bin/pip install --require-hashes -r requirements.txt
COPY . ./
# Static files are part of the image. The settings of the embedded shape are enough to collect them; its var/ is thrown away.
RUN LOCKSCOPE_VAR=/tmp/var LOCKSCOPE_STATIC_ROOT=/app/collected /opt/venv/bin/python manage.py collectstatic --noinput -v0 \
    && /opt/venv/bin/python -m compileall -q apps config parsers

FROM python:3.11-slim-bookworm
RUN groupadd --gid 10001 lockscope \
    && useradd --uid 10001 --gid lockscope --no-create-home --shell /usr/sbin/nologin lockscope \
    && install -d -o lockscope -g lockscope -m 0700 /var/lib/lockscope /backups
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LOCKSCOPE_VAR=/var/lib/lockscope \
    XDG_CACHE_HOME=/var/lib/lockscope/cache \
    LOCKSCOPE_STATIC_ROOT=/app/collected \
    LOCKSCOPE_BIND=0.0.0.0:8000 \
    LOCKSCOPE_ACCESS_LOG=true
USER 10001:10001
VOLUME /var/lib/lockscope
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["python", "scripts/health.py", "web"]
CMD ["gunicorn", "-c", "python:config.gunicorn", "config.wsgi:application"]
