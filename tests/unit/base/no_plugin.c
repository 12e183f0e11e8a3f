/* A shared object that is no plug-in, for test_plugin. */
int no_plugin(void);

int no_plugin(void)
{
    return 0;
}
